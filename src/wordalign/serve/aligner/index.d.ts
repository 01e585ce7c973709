/** The files of a model, read already. */
export interface ModelFiles {
  /** The content of `model.json`. */
  facts: object;
  /** The content of `tokenizer.json`. */
  tokenizer: object;
  /** The bytes of `model.onnx`. */
  onnx: Uint8Array;
}

export interface LoadOptions {
  /**
   * "tiny" (the default) is the model that the package carries. Otherwise the address of a folder that has the files
   * `model.json`, `tokenizer.json` and `model.onnx`, or their contents.
   */
  model?: "tiny" | (string & {}) | URL | ModelFiles;
  /** The library that runs the model, if it is not to be onnxruntime-web: for example `await import("onnxruntime-node")`. */
  ort?: unknown;
  /** The address of the folder that has the `.mjs` and `.wasm` files of onnxruntime-web, where they are moved elsewhere. */
  runtime?: string | URL;
  /** What is given to `InferenceSession.create` of the library that runs the model. */
  sessionOptions?: object;
}

export interface AlignOptions {
  /**
   * "calibrated" (the default), "itermax", "argmax", "match", "forward" or "reverse"; with parameters as in
   * "itermax:n_max=3,alpha=0.95".
   */
  method?: string;
  /** What is linked: words, or the subwords of the model. */
  level?: "word" | "subword";
  /** From 0 (the default) to 1: prefer words at similar places of their sentences. */
  distortion?: number;
  /** From 0 to 1 (the default): drop links of words that resemble nothing; 1 drops none. */
  null?: number;
  /** From 0 (the default) to 1: drop links that are less probable. */
  threshold?: number;
}

export interface Word {
  text: string;
  /** Where the word begins in the text that was given, as JavaScript counts; missing where words were given. */
  start?: number;
  /** The first place behind the word. */
  end?: number;
}

export interface Link {
  /** The number of a word of the source, from 0. */
  source: number;
  /** The number of a word of the target, from 0. */
  target: number;
  /** The probability that the link is right, from 0 to 1. */
  probability: number;
}

export interface Alignment {
  source: { words: Word[] };
  target: { words: Word[] };
  /** Sorted by source and target. */
  links: Link[];
  /** All that the links depend on: model, level, method, version. */
  signature: string;
}

/** A text, which is split into words, or the words themselves. */
export type Sentence = string | readonly string[];

export interface Aligner {
  /** ISO 639-3 codes of the languages that the model was made for. */
  readonly languages: readonly string[];
  /** Links the words of a sentence to the words of its translation. */
  align(source: Sentence, target: Sentence, options?: AlignOptions): Promise<Alignment>;
  /** Gives back the memory of the model; nothing can be aligned afterwards. */
  release(): Promise<void>;
}

/** Loads a model. */
export function load(options?: LoadOptions): Promise<Aligner>;

/** The words of a text, as `align` splits it. */
export function split(text: string): Required<Word>[];

/** The version of the package. */
export const version: string;
