// Hono middleware for any runtime. It sets `c.get('caller')`.
import type { Options, Requirement } from './options.ts';
import { sentToWeb } from './sent.ts';
import { verifier } from './verifier.ts';

export type { Caller, Options, Requirement } from './options.ts';

type Context = {
  req: { raw: Request };
  // biome-ignore lint/suspicious/noExplicitAny: Hono's own type depends on the variables of the application
  set: (name: any, value: any) => void;
};

export function gatehouse(options: Options) {
  const rule = verifier(options);
  return {
    require(requirement?: Requirement) {
      const check = rule(requirement);
      return async (c: Context, next: () => Promise<void>): Promise<Response | undefined> => {
        const { caller, refused } = await check(sentToWeb(c.req.raw));
        if (refused) return new Response(null, refused);
        c.set('caller', caller);
        await next();
        return undefined;
      };
    },
  };
}
