// Comma-separated values with quotes, as spreadsheets write them: source, target, and links where there are some.

// -> [{ number, cells }], where `number` is the line that a record begins in, from 1. A quoted cell may hold
// separators, line breaks and doubled quotes. Semicolons and tabs separate, too, where the first line has no comma.
export function readCsv(text) {
  const separator = separatorOf(text);
  const records = [];
  let cells = [];
  let [at, line, start] = [0, 1, 1];
  while (at < text.length) {
    let cell;
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end < 0) throw new Error(`the quote that opens in line ${line} is not closed.`);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      line += cell.split("\n").length - 1;
      at = end + 1;
    } else {
      const end = nextOf(text, at, separator);
      cell = text.slice(at, end).replace(/\r$/, "");
      at = end;
    }
    cells.push(cell);
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) cells.push("");
      continue;
    }
    if (text.startsWith("\r\n", at)) at += 1;
    if (at < text.length && text[at] !== "\n") throw new Error(`something follows a closing quote in line ${line}.`);
    at += 1;
    line += 1;
    records.push({ number: start, cells });
    cells = [];
    start = line;
  }
  if (cells.length) records.push({ number: start, cells });
  return records;
}

function separatorOf(text) {
  const [first] = text.split("\n", 1);
  return [",", ";", "\t"].find((sign) => first.includes(sign)) ?? ",";
}

function closingQuote(text, from) {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

// Where a cell without quotes ends. The separator is looked for in the line alone, which may be the last that has one.
function nextOf(text, from, separator) {
  const newline = text.indexOf("\n", from);
  const line = text.slice(from, newline < 0 ? text.length : newline);
  const length = line.indexOf(separator);
  return from + (length < 0 ? line.length : length);
}
