// For Express: a middleware. The caller is `request.caller`.
import { gatehouse as ofNode } from './node.ts';
import type { Options, Requirement } from './options.ts';

export type { Caller, Options, Requirement } from './options.ts';

export function gatehouse(options: Options) {
  const api = ofNode(options);
  return {
    require(requirement?: Requirement) {
      const guard = api.require(requirement);
      return (
        request: Parameters<typeof guard>[0],
        response: Parameters<typeof guard>[1],
        next: (error?: unknown) => void,
      ): void => void guard(request, response, next);
    },
  };
}
