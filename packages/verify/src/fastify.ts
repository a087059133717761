// Hook for Fastify's `onRequest`, which runs before the body is parsed. It sets `request.caller`.
import type { IncomingMessage } from 'node:http';
import type { Caller, Options, Requirement } from './options.ts';
import { sentToNode } from './sent.ts';
import { verifier } from './verifier.ts';

export type { Caller, Options, Requirement } from './options.ts';

type Asked = { raw: IncomingMessage };
type Reply = {
  code: (status: number) => unknown;
  headers: (headers: Record<string, string>) => unknown;
  send: () => unknown;
};

export function gatehouse(options: Options) {
  const rule = verifier(options);
  return {
    require(requirement?: Requirement) {
      const check = rule(requirement);
      return async (request: Asked, reply: Reply): Promise<unknown> => {
        const { caller, refused } = await check(sentToNode(request.raw));
        if (caller) {
          (request as Asked & { caller: Caller }).caller = caller;
          return;
        }
        reply.code(refused.status);
        reply.headers(refused.headers);
        return reply.send();
      };
    },
  };
}
