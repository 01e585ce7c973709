// The options: reading them tells the page what changed, showing them makes them say what the state says.

import { METHODS, methodSpec, parseMethod } from "./methods.js";

const find = (name) => document.getElementById(name);
const SLIDERS = { threshold: 0, distortion: 0, tau: 1 }; // where each of them does nothing

// update(changes) is called with the changed parts of the state.
export function bindControls(getState, update, models) {
  for (const name of Object.keys(SLIDERS)) {
    find(name).addEventListener("input", (event) => update({ [name]: Number(event.target.value) }));
  }
  for (const name of ["view", "cells"]) {
    for (const input of document.getElementsByName(name)) {
      input.addEventListener("change", () => update({ [name]: input.value }));
    }
  }
  find("methods").addEventListener("change", (event) => {
    const model = models.find(({ name }) => name === getState().model);
    update({ method: model.start(event.target.value) });
  });
  find("parameters").addEventListener("input", (event) => {
    const { method } = getState();
    const parameters = { ...method.parameters, [event.target.name]: Number(event.target.value) };
    update({ method: { ...method, parameters } });
  });
  find("model").addEventListener("change", (event) => update({ model: event.target.value }));
  find("level").addEventListener("change", (event) => update({ level: event.target.value }));
  find("compare").addEventListener("change", (event) => {
    const [model, spec] = event.target.value.split(" ");
    update({ compare: spec ? { model, method: parseMethod(spec) } : null });
  });
  find("gold").addEventListener("input", (event) => update({ gold: event.target.value }));
  find("spaced").addEventListener("change", (event) => update({ spaced: event.target.checked }));
}

// The choices that depend on the models there are; once.
export function buildControls(models) {
  const names = Object.keys(METHODS).filter((name) => models.some((model) => model.methods.includes(name)));
  find("methods").append(...names.map(methodChoice));
  find("model").replaceChildren(...models.map(({ name }) => new Option(name, name)));
  const groups = models.map((model) => {
    const group = document.createElement("optgroup");
    group.label = `model ${model.name}`;
    const usable = names.filter((name) => model.methods.includes(name));
    group.append(
      ...usable.map(
        (name) => new Option(`${model.name}, ${name}`, `${model.name} ${methodSpec(model.start(name))}`),
      ),
    );
    return group;
  });
  find("compare").replaceChildren(new Option("nothing", ""), ...groups);
}

export function showControls(state, models) {
  const model = models.find(({ name }) => name === state.model);
  for (const [name, off] of Object.entries(SLIDERS)) {
    find(name).value = state[name];
    find(`${name}-shown`).value = state[name] === off ? "off" : state[name].toFixed(name === "tau" ? 3 : 2);
  }
  for (const name of ["view", "cells"]) {
    for (const input of document.getElementsByName(name)) input.checked = input.value === state[name];
  }
  for (const input of document.getElementsByName("method")) {
    input.checked = input.value === state.method.name;
    input.disabled = !model.methods.includes(input.value);
  }
  showParameters(state.method);
  find("model").value = state.model;
  find("level").value = state.level;
  showCompare(state.compare);
  if (find("gold").value !== state.gold) find("gold").value = state.gold;
  find("spaced").checked = state.spaced;
}

function methodChoice(name) {
  const label = document.createElement("label");
  label.title = METHODS[name].says;
  const input = Object.assign(document.createElement("input"), {
    type: "radio",
    name: "method",
    value: name,
  });
  const shown = document.createElement("span");
  shown.textContent = name;
  label.append(input, shown);
  return label;
}

// Sliders of the method at hand; left alone while one of them is being moved.
function showParameters({ name, parameters }) {
  const box = find("parameters");
  if (box.dataset.method !== name) {
    box.dataset.method = name;
    box.replaceChildren(...Object.entries(METHODS[name].parameters).map(parameterSlider));
  }
  for (const [key, value] of Object.entries(parameters)) {
    find(`parameter-${key}`).value = value;
    find(`parameter-${key}-shown`).value = METHODS[name].parameters[key].whole ? value : value.toFixed(2);
  }
}

function parameterSlider([key, { min, max, step, label }]) {
  const id = `parameter-${key}`;
  const box = Object.assign(document.createElement("div"), { className: "slider" });
  const caption = Object.assign(document.createElement("label"), { htmlFor: id, textContent: label });
  const input = Object.assign(document.createElement("input"), {
    type: "range",
    id,
    name: key,
    min,
    max,
    step,
  });
  const shown = Object.assign(document.createElement("output"), { id: `${id}-shown` });
  shown.htmlFor.add(id);
  box.append(caption, input, shown);
  return box;
}

// A comparison that came with a link may have parameters of its own, which the list does not hold.
function showCompare(compare) {
  const select = find("compare");
  const value = compare ? `${compare.model} ${methodSpec(compare.method)}` : "";
  if (![...select.options].some((option) => option.value === value)) {
    select.append(new Option(value.replace(" ", ", "), value));
  }
  select.value = value;
}
