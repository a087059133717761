// What a preset makes of a broker's answers: whose people are let in, and what names a person.
import { presetOf } from '#lib/registry/methods/broker/presets.ts';
import { namedWithTid, tidOf } from '#lib/registry/methods/broker/tenants.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { type Members, subjectAt, valueAt } from './members.ts';

type Method = Pick<SnapshotMethod, 'config'>;

/** Of an ID token whose signature and issuer hold: why its person is not let in, or what names them. */
export function subjectOfToken({ config }: Method, claims: Members): { subject: string } | { fault: string } {
  const { domains: hosts, subject_claim: claim = 'sub' } = config;
  const hosted = String(valueAt(claims, 'hd') ?? '').toLowerCase();
  if (Array.isArray(hosts) && !hosts.some((one) => String(one).toLowerCase() === hosted))
    return { fault: 'the person is of none of the domains' };
  const tid = namedWithTid(config) ? tidOf(config, claims) : '';
  if (tid === null) return { fault: 'the person is of none of the tenants' };
  const found = subjectAt(claims, String(claim));
  if (found === null) return { fault: `the ID token has no ${claim}` };
  return { subject: tid === '' ? found : `${tid}/${found}` };
}

/** Does the provider answer for this address, which it says is verified? */
export const answersForAddress = ({ config }: Method, email: string, claims: Members): boolean =>
  presetOf(config)?.answersFor?.(email, claims) ?? true;

export const sendsProof = ({ config }: Method): boolean => presetOf(config)?.sendsProof === true;

export const namesInForm = ({ config }: Method): boolean => presetOf(config)?.namesInForm === true;
