// Files that are opened, and files that are saved.

import { download } from "../export.js";
import { FORMATS } from "./formats.js";

// -> [{ name, text }]; throws a sentence about a file that is not UTF-8.
export function textsOf(files) {
  return Promise.all(
    [...files].map(async (file) => {
      try {
        const bytes = await file.arrayBuffer();
        return { name: file.name, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
      } catch {
        throw new Error(`${file.name} is not UTF-8. Convert the file first, e.g. with iconv.`);
      }
    }),
  );
}

export function saveProject({ team, ...project }) {
  download(`${JSON.stringify(project, null, 1)}\n`, `${fileName(project)}.json`, "application/json");
}

// -> how many pairs were written.
export function exportProject(project, format, onlyDone) {
  const { ending, write, type = "text/plain" } = FORMATS[format];
  const pairs = onlyDone ? project.pairs.filter(({ done }) => done) : project.pairs;
  if (!pairs.length) throw new Error("No pair is done yet, so there is nothing to export.");
  download(write(pairs), `${fileName(project)}.${ending}`, type);
  return pairs.length;
}

function fileName({ name }) {
  return name.replace(/[\\/:*?"<>|\p{Cc}]+/gu, " ").trim() || "project";
}
