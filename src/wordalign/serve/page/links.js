// Links by name: "3-5" is the link from source word 3 to target word 5, both from 0.

export function keyOf(i, j) {
  return `${i}-${j}`;
}

export function endsOf(key) {
  return key.split("-").map(Number);
}

// For sorting the entries of a Map of links, or lists of names.
export function byPosition([one], [other]) {
  const [i, j] = endsOf(one);
  const [k, l] = endsOf(other);
  return i - k || j - l;
}
