// Providers whose settings are known here: the same subjects there and here, as long as it is the same server.
import { ownValue } from '#lib/kit/own-value.ts';
import type { Part } from '../reading/part.ts';

type Entry = Record<string, unknown>;

/** The server that a preset means, and whether it can mean another one. */
const KNOWN: Record<string, { origin: string; hasOwnServers: boolean }> = {
  google: { origin: 'https://accounts.google.com', hasOwnServers: false },
  gitlab: { origin: 'https://gitlab.com', hasOwnServers: true },
  github: { origin: 'https://github.com', hasOwnServers: true },
};
const ADDRESSES = [
  ...['baseUrl', 'apiUrl', 'issuer', 'authorizationUrl', 'tokenUrl', 'userInfoUrl', 'jwksUrl'],
  ...['metadataDescriptorUrl', 'emailUrl'],
];
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

export const isPresetKind = (kind: string): boolean => ownValue(KNOWN, kind) !== undefined;

/** Null: it is to be decided, or left out. An id of another server is another person. */
export function presetMeant(config: Part, kind: string): Entry | null {
  const known = ownValue(KNOWN, kind);
  if (!known) return null;
  const [moved, ...others] = ADDRESSES.filter((key) => config.text(key) !== undefined);
  const server = moved === undefined ? known.origin : serverOf(config, moved, known);
  config.leaveOutAll(others, 'the preset has the addresses of its server');
  if (server === null) return null;
  const entry: Entry = { preset: kind, ...(server !== known.origin && { base_url: server }) };
  if (kind !== 'google' || config.text('hostedDomain') === undefined) return entry;
  const hosts = hostsOf(config);
  return hosts === null ? null : { ...entry, domains: hosts };
}

function serverOf(
  config: Part,
  key: string,
  { origin, hasOwnServers }: { origin: string; hasOwnServers: boolean },
) {
  const choice = hasOwnServers ? `its origin, or ${origin}` : `${origin}, if it is that`;
  const question = `may be another server, whose people have other ids: name ${choice}`;
  const isServer = (answer: unknown): answer is string =>
    typeof answer === 'string' &&
    (answer === origin ||
      (hasOwnServers && /^https:/.test(answer) && URL.canParse(answer) && new URL(answer).origin === answer));
  return config.decide(key, question, (answer) => (isServer(answer) ? answer : undefined)) ?? null;
}

/** The Workspace domains, which one left out would open to everybody. */
function hostsOf(config: Part): string[] | null {
  const listOf = (value: unknown) => {
    const texts = (Array.isArray(value) ? value : String(value).split(/[\s,]+/))
      .map(String)
      .filter((one) => one !== '');
    return texts.length > 0 && texts.every((one) => HOST.test(one)) ? texts : undefined;
  };
  const given = listOf(config.text('hostedDomain'));
  const question = 'which Workspace domains may sign in: name a list';
  return given ?? config.decide('hostedDomain', question, listOf) ?? null;
}
