// The options: reading them tells the page what changed, showing them makes them say what the state says.

import { METHODS, methodSpec } from "./methods.js";

const find = (name) => document.getElementById(name);
const SLIDERS = { threshold: 0, distortion: 0, tau: 1 }; // where each of them does nothing

// update(changes) is called with the changed parts of the state.
export function bindControls(getState, update) {
  for (const name of Object.keys(SLIDERS)) {
    find(name).addEventListener("input", (event) => update({ [name]: Number(event.target.value) }));
  }
  for (const name of ["view", "cells"]) {
    for (const input of document.getElementsByName(name)) {
      input.addEventListener("change", () => update({ [name]: input.value }));
    }
  }
  find("methods").addEventListener("change", (event) => update({ method: event.target.value }));
  find("parameters").addEventListener("input", (event) => {
    const { method } = getState();
    const parameters = { ...method.parameters, [event.target.name]: Number(event.target.value) };
    update({ method: { ...method, parameters } });
  });
  find("model").addEventListener("change", (event) => update({ model: event.target.value }));
  find("level").addEventListener("change", (event) => update({ level: event.target.value }));
  find("compare").addEventListener("change", (event) => {
    const { model, method } = event.target.selectedOptions[0].dataset;
    update({ compare: model ? { model, method } : null });
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
    group.append(...usable.map((name) => compareOption(model.name, model.parse(name), name)));
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
    const known = METHODS[name].parameters[key];
    if (!known) continue; // the service has a parameter that this page has no slider for
    find(`parameter-${key}`).value = value;
    find(`parameter-${key}-shown`).value = known.whole ? value : value.toFixed(2);
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

function compareOption(model, method, shown = methodSpec(method)) {
  const option = new Option(`${model}, ${shown}`, `${model} ${methodSpec(method)}`);
  Object.assign(option.dataset, { model, method: methodSpec(method) });
  return option;
}

// A comparison that came with a link may have parameters of its own, which the list does not hold.
function showCompare(compare) {
  const select = find("compare");
  const value = compare ? `${compare.model} ${methodSpec(compare.method)}` : "";
  if (![...select.options].some((option) => option.value === value)) {
    select.append(compareOption(compare.model, compare.method));
  }
  select.value = value;
}
