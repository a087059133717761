// For Hono, on any runtime: a middleware. The caller is `c.get('caller')`.
import { needsOf, type Options, type Requirement } from './options.ts';
import { verifier } from './verifier.ts';

export type { Caller, Options, Requirement } from './options.ts';

type Context = {
  req: { header: (name: string) => string | undefined };
  // biome-ignore lint/suspicious/noExplicitAny: Hono's own type depends on the variables of the application
  set: (name: any, value: any) => void;
};

export function gatehouse(options: Options) {
  const check = verifier(options);
  return {
    require(requirement?: Requirement) {
      const needs = needsOf(requirement);
      return async (c: Context, next: () => Promise<void>): Promise<Response | undefined> => {
        const { caller, refused } = await check(c.req.header('authorization'), needs);
        if (refused) return new Response(null, refused);
        c.set('caller', caller);
        await next();
        return undefined;
      };
    },
  };
}
