// What the doctor asks of a broker.
import type { MethodConfig, Probe, ProbeVerdict } from '../kind.ts';

const GOOD: ProbeVerdict = { state: 'ok' };

export function brokerProbes(config: MethodConfig): Probe[] {
  const text = (key: string) => String(config[key] ?? '');
  if ('issuer' in config) return [metadataOf(text('issuer'))];
  const form = { grant_type: 'authorization_code', client_id: text('client_id') };
  return [
    { address: text('token_endpoint'), form, judge: judgeToken },
    { address: text('userinfo_endpoint'), judge: judgeUserinfo },
  ];
}

/** RFC 6749 §5.2: without a code the answer is an error in JSON, or in a form with some providers, of any status. */
function judgeToken(status: number, body: string): ProbeVerdict {
  const isOAuth = 'error' in jsonOf(body) || new URLSearchParams(body).has('error');
  if (isOAuth || status === 401 || (status >= 200 && status < 300)) return GOOD;
  return { state: 'broken', advice: 'and no OAuth error: check token_endpoint' };
}

/** RFC 6750 §3: without a token it asks for one. */
function judgeUserinfo(status: number): ProbeVerdict {
  if ([400, 401, 403].includes(status) || (status >= 200 && status < 300)) return GOOD;
  return { state: 'broken', advice: 'without a token, where 401 is right: check userinfo_endpoint' };
}

/** OpenID Connect Discovery §4.3: the metadata name the very issuer that they were asked of. */
function metadataOf(issuer: string): Probe {
  const written = /\/\.well-known\//.test(issuer);
  const address = written ? issuer : `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return {
    address,
    judge: (status, body) => {
      if (status !== 200) return { state: 'broken', advice: `and no metadata: check issuer, ${issuer}` };
      const { issuer: named } = jsonOf(body);
      if (typeof named !== 'string') return { state: 'broken', advice: `without an issuer: check ${issuer}` };
      if (written)
        return { state: 'broken', advice: `set issuer to ${shown(named)}, without /.well-known/…` };
      if (named === issuer) return GOOD;
      const differ = `its metadata name the issuer ${shown(named)}, and the method ${issuer}`;
      // a sign-in compares addresses; a token exchange compares texts
      if (URL.canParse(named) && new URL(named).href === new URL(issuer).href)
        return { state: 'warning', advice: `${differ}: write it so, or its tokens cannot be exchanged` };
      return { state: 'broken', advice: `${differ}: set issuer to the first if it is this provider’s` };
    },
  };
}

const shown = (text: string) => text.slice(0, 200);

function jsonOf(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
