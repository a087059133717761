// For handlers of the Web's `Request`: Bun, Deno, Workers. The caller is `request.caller`.
import { type Caller, needsOf, type Options, type Requirement } from './options.ts';
import { verifier } from './verifier.ts';

export type { Caller, Options, Requirement } from './options.ts';

export function gatehouse(options: Options) {
  const check = verifier(options);
  return {
    /** Gives the handler that only good tokens reach. */
    require(requirement?: Requirement) {
      const needs = needsOf(requirement);
      return <Asked extends Request, Rest extends unknown[]>(
        handler: (request: Asked & { caller: Caller }, ...rest: Rest) => Response | Promise<Response>,
      ) =>
        async (request: Asked, ...rest: Rest): Promise<Response> => {
          const { caller, refused } = await check(request.headers.get('authorization'), needs);
          if (refused) return new Response(null, refused);
          return handler(Object.assign(request, { caller }), ...rest);
        };
    },
  };
}
