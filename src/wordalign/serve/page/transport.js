// How the page reaches an aligner: through the service that served it. The page without a service has another module in
// the place of this one, with the same exports.

const TOKEN = "wordalign-token";

export const WHERE_TEXTS_GO = "Texts go only to the service that served this page.";

export const CARRIES = true; // whether it carries spans and markup, too

export class ServiceError extends Error {
  constructor(message, status = 0, retryAfter = 0) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

// Tell the reader what is being loaded, sentence by sentence, and null when all is there: a service has its models.
export function whileLoading(tell) {
  tell(null);
}

export function setToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

// The answer to a request; a ServiceError if there is none.
export async function request(address, options = {}) {
  const headers = options.body ? { "Content-Type": "application/json" } : {};
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(address, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServiceError("The service does not answer. Is ‘wordalign serve’ still running?");
  }
  if (response.ok) return response.json();
  const said = await response.json().catch(() => ({}));
  const message = said.error?.message ?? `The service answered ${response.status}.`;
  throw new ServiceError(message, response.status, Number(response.headers.get("Retry-After")) || 0);
}
