// An assertion works once. A retry of the same request, after a change of the registry, may use its own assertions
// again.
import type { HttpRequest } from '#lib/http/index.ts';
import { spendAssertion } from '#lib/store/index.ts';

/** By the hash: a client may prove itself by one assertion and bring another one of a person. */
const uses = new WeakMap<HttpRequest, Map<string, Promise<boolean>>>();

/** `idHash`: SHA-256 of what names the assertion; `seconds`: until that may be forgotten. */
export function isFirstUse(http: HttpRequest, used: { idHash: Buffer; seconds: number }): Promise<boolean> {
  const ofRequest = uses.get(http) ?? new Map<string, Promise<boolean>>();
  uses.set(http, ofRequest);
  const name = used.idHash.toString('base64');
  const use = ofRequest.get(name) ?? spendAssertion(used);
  ofRequest.set(name, use);
  return use;
}
