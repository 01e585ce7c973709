// Many pairs put to the service, patiently.

import { alignPairs } from "./service.js";

const RETRIES = 8;

// An answer for each pair, null for one that has an empty side, an error for one that is refused. A batch that
// is refused is asked for pair by pair, so that one bad pair spoils no other.
export async function answersFor(asked, { model, level }) {
  const pairs = asked.map(([source, target]) => ({ source, target }));
  const wanted = pairs.filter(({ source, target }) => source.length && target.length);
  let answers;
  try {
    answers = wanted.length ? await patiently(wanted, model, level) : [];
  } catch (error) {
    if (!(error.status >= 400 && error.status < 500)) throw error;
    answers = [];
    for (const pair of wanted) {
      answers.push(
        await patiently([pair], model, level).then(
          ([answer]) => answer,
          (refusal) => refusal,
        ),
      );
    }
  }
  return pairs.map((pair) => (wanted.includes(pair) ? answers[wanted.indexOf(pair)] : null));
}

// A busy service says when to come again.
async function patiently(pairs, model, level) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await alignPairs(pairs, model, level);
    } catch (error) {
      if (error.status !== 429 || attempt === RETRIES) throw error;
      await new Promise((done) => setTimeout(done, 1000 * Math.max(error.retryAfter, 0.5)));
    }
  }
}
