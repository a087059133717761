// Does each host that an issuer has of its own, and each former issuer, lead here? Asked as a client would: for its
// metadata (RFC 8414 §3).

import { now } from '#lib/kit/clock.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { addressesOf } from '#lib/registry/objects/former-issuers.ts';
import { formerIssuerBase } from '#lib/registry/objects/issuer-layouts.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { type Finding, guideAt } from './doctor-finding.ts';

const AT_MOST = 20;
/** Where clients of every service look. */
const NAME = '/.well-known/openid-configuration';

export async function examineIssuerHosts({ apis }: Snapshot): Promise<Finding[]> {
  const hosts = [...apis.values()].flatMap((api) =>
    api.authMethods.flatMap((method) => {
      return addressesOf(api, method).map(({ url, end }) => ({
        check: `${end === Infinity ? 'host' : 'former issuer'} of ${method} at ${api.id}`,
        url,
        end,
      }));
    }),
  );
  const found = await Promise.all(hosts.slice(0, AT_MOST).map(ask));
  const left = hosts.length - found.length;
  if (left > 0)
    found.push({ state: 'warning', check: 'hosts of issuers', detail: `${left} more were not asked` });
  return found;
}

async function ask({ check, url, end }: { check: string; url: string; end: number }): Promise<Finding> {
  if (end <= now().getTime())
    return { state: 'warning', check, detail: `${url} is answered no more: its last day has passed` };
  const guide = guideAt(
    end === Infinity ? 'agents#an-issuer-on-a-host-of-its-own' : 'moving-in#issuers-of-before',
  );
  const elsewhere = (what: string): Finding => ({
    state: 'warning',
    check,
    detail: `${url} does not lead here: ${what}; see ${guide}`,
  });
  try {
    // an operator's own name, which may lead here by the inner network
    const answer = await outboundFetch({ allowPrivateNetwork: true })(`${formerIssuerBase(url)}${NAME}`);
    if (answer.status !== 200) return elsewhere(`${NAME} answers ${answer.status}`);
    const metadata: unknown = await answer.json().catch(() => null);
    const issuer = (metadata as { issuer?: unknown } | null)?.issuer;
    if (issuer === url) return { state: 'ok', check, detail: `${url} leads here` };
    return elsewhere(
      typeof issuer === 'string' ? `its issuer is ${issuer.slice(0, 200)}` : 'no metadata of an issuer',
    );
  } catch (error) {
    const { message, cause } = error as Error;
    const code = (cause as { code?: string } | undefined)?.code;
    return elsewhere(`${message}${code ? ` (${code})` : ''}`);
  }
}
