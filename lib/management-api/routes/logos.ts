// Logos as their bytes: of APIs and of clients.
import { readApiLogo, readClientLogo, setApiLogo, setClientLogo } from '#lib/management/registry/logos.ts';
import { one, type Route } from '../route.ts';

type Called = Parameters<Route['run']>[0];
type Of = Pick<Route, 'path' | 'answers'> & {
  see: Route['actions'];
  manage: Route['actions'];
  read: (call: Called) => Promise<unknown>;
  set: (call: Called, bytes: Buffer | null) => Promise<{ version: number }>;
};

function logoRoutes({ path, answers, see, manage, read, set }: Of): Route[] {
  const plain = { path, query: null, body: null };
  const change = { ...plain, actions: manage, version: 'optional', ...(answers && { answers }) } as const;
  const changed = async (call: Called, bytes: Buffer | null) => {
    const made = await set(call, bytes);
    return { body: made, version: made.version };
  };
  return [
    {
      ...plain,
      method: 'GET',
      summary: 'Its logo, as a WebP of at most 192 pixels a side',
      actions: see,
      picture: 'given',
      run: async (call) => ({ body: await read(call) }),
    },
    {
      ...change,
      method: 'PUT',
      summary: 'Give it a logo: a PNG, JPEG, WebP, GIF or SVG of at most 524,288 bytes',
      picture: 'taken',
      run: (call) => changed(call, Buffer.isBuffer(call.body) ? call.body : Buffer.alloc(0)),
    },
    { ...change, method: 'DELETE', summary: 'Take its logo away', run: (call) => changed(call, null) },
  ];
}

const versionOf = ({ version }: Called) => (version === undefined ? {} : { version });
const api = ({ params }: Called) => ({ id: params['id'] ?? '' });
const client = ({ params }: Called) => ({ clientId: params['client_id'] ?? '' });

export const apiLogoRoutes = logoRoutes({
  path: '/apis/:id/logo',
  answers: one('Api'),
  see: ['registry.read'],
  manage: ['registry.manage'],
  read: (call) => readApiLogo(call.actor, api(call)),
  set: (call, logo) => setApiLogo(call.actor, { ...api(call), ...versionOf(call), logo }),
});

export const clientLogoRoutes = logoRoutes({
  path: '/clients/:client_id/logo',
  answers: one('ClientDetail'),
  see: ['clients.see-all', 'clients.see-own'],
  manage: ['clients.manage-all', 'clients.manage-own'],
  read: (call) => readClientLogo(call.actor, client(call)),
  set: (call, logo) => setClientLogo(call.actor, { ...client(call), ...versionOf(call), logo }),
});
