// The authorization servers that a client may get an ID-JAG for, and by which client_id each of them knows the client
// (draft-ietf-oauth-identity-assertion-authz-grant §4.3, §6). Only administrators say so: an ID-JAG speaks for people
// who are not asked.
import { z } from 'zod';
import { field } from '../fields/form-fields.ts';
import { atMost, webAddress } from '../fields/values.ts';

const FAULT =
  'must be the issuer of an authorization server, an https:// address, perhaps a space and the client_id there';
/** Some servers call a client by the address of its document. */
const ID_THERE = /^[\x21-\x7e]{1,500}$/;

export type IdJagAudience = { issuer: string; clientId: string };

/** What an entry says; `clientId`: the client's own id, which counts where the entry names none. */
export function idJagAudienceOf(entry: string, clientId: string): IdJagAudience {
  const [issuer = '', there = clientId] = entry.split(' ');
  return { issuer, clientId: there };
}

const entry = z
  .string()
  .trim()
  .max(2_600, 'must not be longer than 2600 characters')
  .refine((value) => {
    const [issuer = '', there = 'own', ...more] = value.split(' ');
    return (
      more.length === 0 &&
      ID_THERE.test(there) &&
      webAddress.safeParse(issuer).success &&
      !issuer.includes('?')
    );
  }, FAULT);

const audiences = atMost(20, entry)
  .default([])
  .describe(
    'Issuers of other authorization servers that a confidential client may get an ID-JAG for, each with a space and its client_id there where that is another; set by administrators',
  );

export const idJagFields = {
  idJagAudiences: field(audiences, 'ID-JAG for', {
    hint: 'Issuers of other services that this one vouches for people to, with nobody being asked. Where the application has another id there, a space and that id.',
    each: 'service to vouch to',
    under: { of: 'kind', is: 'confidential' },
    placeholder: 'https://login.chat.example f53f191f9311af35',
  }),
};

/** What is wrong with them for this kind of client. */
export function idJagFaults({
  kind,
  idJagAudiences,
}: {
  kind: string;
  idJagAudiences: readonly string[];
}): { path: (string | number)[]; message: string }[] {
  if (kind !== 'confidential' && idJagAudiences.length > 0)
    return [{ path: ['idJagAudiences'], message: 'must be empty: a public client can not prove who it is' }];
  const issuers = idJagAudiences.map((one) => idJagAudienceOf(one, '').issuer);
  return issuers.flatMap((issuer, at) =>
    issuers.indexOf(issuer) < at ? [{ path: ['idJagAudiences', at], message: 'stands here twice' }] : [],
  );
}
