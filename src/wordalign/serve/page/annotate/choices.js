// The methods of all models that can suggest links, for the page's lists.

// -> [{ label, model, method }], first the default of the default model; a model of null suggests nothing.
export function suggestionChoices(models) {
  const every = models.flatMap((model) =>
    model.methods.map((name) => ({ label: `${model.name}, ${name}`, model, method: model.parse(name) })),
  );
  const isFirst = ({ model, method }) => model.isDefault && method.name === model.parse(model.method).name;
  const first = every.find(isFirst);
  return [first, ...every.filter((choice) => choice !== first), { label: "nothing", model: null, method: null }];
}

export function fillChoices(select, choices) {
  select.replaceChildren(...choices.map(({ label }, k) => new Option(label, String(k))));
}
