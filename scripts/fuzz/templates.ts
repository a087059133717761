// Valid requests, one per kind and client. Generated requests are changed copies of them.

import type { Client } from '#testing/data/fixtures.ts';
import { credentialsOf } from '#testing/service/token.ts';

/** Values of the tested service that requests can contain. */
export type World = {
  authUrl: string;
  methods: string[];
  apis: string[];
  clients: Client[];
  people: { email: string; password: string }[];
  /** Cookie headers of real browsers */
  cookies: string[];
  /**
   * values that the service has issued, by parameter: interaction, anti_forgery, code, request_uri, refresh_token,
   * token, state
   */
  known: Record<string, string[]>;
};

export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw_cM';
const ISSUER = '/auth/pw/api/orders';

export type Template = {
  method: string;
  path: string;
  parameters: Record<string, string>;
  headers?: Record<string, string>;
};

export function templates({ authUrl, clients, people, cookies, known }: World): Template[] {
  const cookie = cookies.at(-1) ?? '';
  const first = (name: string) => known[name]?.[0] ?? 'x';
  const [person = { email: 'x', password: 'x' }] = people;
  const interaction = first('interaction');
  const visit = (path: string, parameters: Record<string, string>, method = 'GET'): Template => ({
    method,
    path,
    parameters,
    headers: { cookie },
  });
  const pages = ['login', 'consent', 'logout'].map((page) => ({
    method: 'POST',
    path: `/${page}/submit`,
    parameters: {
      interaction,
      anti_forgery: first('anti_forgery'),
      username: 'nobody@example.com',
      decision: 'allow',
    },
    headers: { origin: authUrl, cookie },
  }));
  const callbacks = ['broker', 'brk'].map((method) => ({
    method: 'GET',
    path: `/auth/callback/${method}`,
    parameters: { code: first('code'), state: 'S', iss: 'https://broker.example' },
  }));
  return clients.flatMap((client): Template[] => {
    const post = (path: string, form: Record<string, string>): Template => ({
      method: 'POST',
      path,
      parameters: { ...credentialsOf(client), ...form },
    });
    const grant = (type: string, form: Record<string, string>) =>
      post(`${ISSUER}/token`, { grant_type: type, ...form });
    const authorize = {
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'read',
      state: 'S',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    };
    return [
      visit(`${ISSUER}/authorize`, authorize),
      visit(`${ISSUER}/authorize`, { ...authorize, prompt: 'none' }),
      visit(`${ISSUER}/authorize`, { interaction }),
      visit(`${ISSUER}/authorize`, authorize, 'POST'),
      visit(`${ISSUER}/authorize`, { client_id: client.clientId, request_uri: first('request_uri') }),
      post(`${ISSUER}/par`, authorize),
      grant('authorization_code', { code: first('code'), redirect_uri: client.redirectUri }),
      grant('refresh_token', { refresh_token: first('refresh_token'), scope: 'read' }),
      grant('password', { username: person.email, password: person.password }),
      post(`${ISSUER}/revoke`, { token: first('token') }),
      post(`${ISSUER}/introspect`, { token: first('token') }),
      post('/auth/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: first('token'),
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        audience: 'orders',
      }),
      ...callbacks,
      visit('/continue', { interaction }),
      ...pages,
    ];
  });
}
