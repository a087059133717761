// A request_uri is the pushed request itself, sealed, and deflated if long (RFC 9126 §2.2): any instance opens it,
// and a push stores nothing. It belongs to the address, path or host, that it was pushed at. Its time counts at the
// first visit only: from there on an interaction has the parameters.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { type Params, parseForm } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { sha256 } from '#lib/kit/random.ts';
import { parseAs, sealBytes, unsealBytes } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import type { Interaction } from '../authorize-request/interaction.ts';
import { AuthorizeRefused } from '../authorize-request/response.ts';
import { InvalidRequest, InvalidRequestUri } from '../errors/errors.ts';
import { UnusableRequestUri } from '../errors/unidentified.ts';
import { atHost, type Issuer } from '../rules/issuer.ts';
import { followsFapi2 } from '../rules/profile.ts';

export const REQUEST_URI_SECONDS = 90;
const MAX_REQUEST_URI = 4_096;
/** After it no code is given for the request, however often its pages were renewed. */
const USABLE_MS = 24 * 3_600_000;
/** More than a query that is kept can be. */
const MAX_PLAIN = 65_536;

const PREFIX = 'urn:ietf:params:oauth:request_uri:';
const PURPOSE = 'pushed request';

const request = z.object({ iss: z.string(), query: z.string(), at: z.number() });

/** `query`: as `keptQuery` gives it. InvalidRequest where the result would be too long for an address. */
export function requestUriOf({ url }: Issuer, query: string): string {
  const plain: z.output<typeof request> = { iss: url, query, at: now().getTime() };
  const uri = PREFIX + sealBytes(packed(JSON.stringify(plain)), PURPOSE, settings().secrets);
  if (uri.length > MAX_REQUEST_URI)
    throw new InvalidRequest(
      `The request is too long: its request_uri would have more than ${MAX_REQUEST_URI} characters.`,
    );
  return uri;
}

/** Deflating costs more than the seal, so that only long ones are. JSON begins with another letter than the mark. */
const PLAIN_LENGTH = 2_000;
const DEFLATED = 'd';

function packed(text: string): Buffer {
  if (text.length <= PLAIN_LENGTH) return Buffer.from(text);
  return Buffer.concat([Buffer.from(DEFLATED), deflateRawSync(text)]);
}

function unpacked(bytes: Buffer): string {
  const isDeflated = bytes.subarray(0, 1).toString('latin1') === DEFLATED;
  const plain = isDeflated ? inflateRawSync(bytes.subarray(1), { maxOutputLength: MAX_PLAIN }) : bytes;
  return plain.toString('utf8');
}

function open(uri: string): z.output<typeof request> | null {
  if (uri.length > MAX_REQUEST_URI) return null;
  const plain = unsealBytes(uri.slice(PREFIX.length), PURPOSE, settings().secrets);
  return plain && parseAs(request, unpacked(plain));
}

export type Pushed = NonNullable<Interaction['pushed']>;

/**
 * The parameters that were pushed, in the place of all that came beside their request_uri; null: there is none of ours.
 * AuthorizeRefused where it can not be used with this client, or at this address.
 */
export function pushedRequest(
  params: Params,
  called: Issuer,
): { params: Params; pushed: Pushed; late: boolean } | null {
  const { values, repeated } = params;
  const uri = values.get('request_uri');
  if (!uri?.startsWith(PREFIX)) return null;
  const refused = (why: string) => new AuthorizeRefused(params, null, new UnusableRequestUri(why));
  if (repeated.has('request_uri')) throw refused('request_uri is repeated.');
  if (repeated.has('client_id')) throw refused('client_id is repeated.');
  const opened = open(uri);
  if (!opened) throw refused('request_uri was not made by this service, or was changed.');
  if (opened.iss !== atHost(called, values.get('issuer_host')).url)
    throw refused('request_uri was pushed at another address.');
  const its = parseForm(opened.query);
  if (values.get('client_id') !== its.values.get('client_id'))
    throw refused('client_id must be that of the client that pushed the request.');
  const pushed = { id: sha256(uri).toString('base64url'), until: opened.at + USABLE_MS };
  return { params: its, pushed, late: now().getTime() > opened.at + REQUEST_URI_SECONDS * 1000 };
}

/**
 * At the authorize address; `late`: its request_uri came too late. InvalidRequestUri, and InvalidRequest for a request
 * that its client has to push (RFC 9126 §6).
 */
export function requireUsable(
  { issuer, client }: { issuer: Issuer; client: SnapshotClient },
  { pushed, late }: { pushed: Pushed | null; late: boolean },
): void {
  if (late || (pushed !== null && now().getTime() > pushed.until)) throw new InvalidRequestUri();
  if (pushed !== null) return;
  if (client.requirePushedAuthorizationRequests)
    throw new InvalidRequest('This client has to push its requests first (RFC 9126).');
  if (followsFapi2(issuer.api))
    throw new InvalidRequest('Requests are pushed first at this API (RFC 9126, FAPI 2.0).');
}

/** What a code uses up, as the statement that gives it takes it. */
export const pushedUse = (pushed: Pushed | null) =>
  pushed && { hash: Buffer.from(pushed.id, 'base64url'), until: new Date(pushed.until) };
