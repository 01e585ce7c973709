// Two small helpers for building the page.

export const find = (name) => document.getElementById(name);

// element("td", { className: "number" }, "12", otherElement)
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
