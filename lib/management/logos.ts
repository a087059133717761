// Operations on logos with raw bytes, for uploads that contain only the picture.

import { apiRow } from '#lib/catalogue/apis/definition.ts';
import { changeApi, readApi } from '#lib/catalogue/apis/operations.ts';
import { MANAGE_CLIENT, SEE_CLIENT } from '#lib/catalogue/clients/access.ts';
import { changeClient, clientDetail, readClient } from '#lib/catalogue/clients/operations.ts';
import { hashOfLogo } from '#lib/registry/brand.ts';
import { logos } from '#lib/store/logos.ts';
import { one, operation } from './operations.ts';
import { Refused } from './refused.ts';

type Sent = { version?: number; logo: Buffer | null };

/** Sets the logo of an API. `logo` null: removes the logo. */
export const setApiLogo = operation(
  // same effect as changeApi
  { name: 'setApiLogo', right: 'registry.manage', fresh: 'always', output: one('Api', apiRow) },
  ({ actor }, { logo, ...of }: { id: string } & Sent) => changeApi(actor, { ...of, brandPart: { logo } }),
);

export const setClientLogo = operation(
  { name: 'setClientLogo', right: MANAGE_CLIENT, output: one('ClientDetail', clientDetail) },
  ({ actor }, { logo, ...of }: { clientId: string } & Sent) =>
    changeClient(actor, { ...of, brandPart: { logo } }),
);

export const readApiLogo = operation(
  { name: 'readApiLogo', right: 'registry.read' },
  async ({ actor }, { id }: { id: string }) => readLogo((await readApi(actor, { id })).brand?.logo, id),
);

export const readClientLogo = operation(
  { name: 'readClientLogo', right: SEE_CLIENT },
  async ({ actor }, { clientId }: { clientId: string }) =>
    readLogo((await readClient(actor, { clientId })).brand?.logo, clientId),
);

async function readLogo(address: string | null | undefined, whose: string): Promise<Buffer> {
  const hash = address == null ? null : hashOfLogo(address);
  const logo = hash === null ? null : await logos.find(hash, 'large');
  if (!logo) throw new Refused('logo.none', { whose });
  return logo;
}
