// Does each host that an issuer has of its own lead here? Asked as a client would: for its metadata (RFC 8414 §3).

import { outboundFetch } from '#lib/outbound/index.ts';
import { issuerHostOf } from '#lib/registry/index.ts';
import type { Snapshot } from '#lib/store/index.ts';

type Found = { state: 'ok' | 'warning'; check: string; detail: string };

const AT_MOST = 20;
const NAME = '/.well-known/oauth-authorization-server';

export async function examineIssuerHosts({ apis }: Snapshot): Promise<Found[]> {
  const hosts = [...apis.values()].flatMap((api) =>
    api.authMethods.flatMap((method) => {
      const origin = issuerHostOf(api, method);
      return origin === null ? [] : [{ check: `host of ${method} at ${api.id}`, origin }];
    }),
  );
  const found = await Promise.all(hosts.slice(0, AT_MOST).map(ask));
  const left = hosts.length - found.length;
  if (left > 0)
    found.push({ state: 'warning', check: 'hosts of issuers', detail: `${left} more were not asked` });
  return found;
}

async function ask({ check, origin }: { check: string; origin: string }): Promise<Found> {
  const elsewhere = (what: string): Found => ({
    state: 'warning',
    check,
    detail: `${origin} does not lead here: ${what}; see docs/agents.md`,
  });
  try {
    // an operator's own name, which may lead here by the inner network
    const answer = await outboundFetch({ allowPrivateNetwork: true })(`${origin}${NAME}`);
    if (answer.status !== 200) return elsewhere(`${NAME} answers ${answer.status}`);
    const metadata: unknown = await answer.json().catch(() => null);
    const issuer = (metadata as { issuer?: unknown } | null)?.issuer;
    if (issuer === origin) return { state: 'ok', check, detail: `${origin} leads here` };
    return elsewhere(
      typeof issuer === 'string' ? `its issuer is ${issuer.slice(0, 200)}` : 'no metadata of an issuer',
    );
  } catch (error) {
    const { message, cause } = error as Error;
    const code = (cause as { code?: string } | undefined)?.code;
    return elsewhere(`${message}${code ? ` (${code})` : ''}`);
  }
}
