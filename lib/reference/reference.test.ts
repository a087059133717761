import { describe, expect, test } from 'vitest';
import { sections } from './described.ts';

const baseUrl = 'https://gatehouse.example';
const authUrl = 'https://auth.example';
const endpoints = sections.flatMap((section) =>
  section.endpoints.map((endpoint) => ({ ...endpoint, command: endpoint.command({ baseUrl, authUrl }) })),
);
const issuer = '/auth/:authMethodId/api/:apiId';

describe('the reference', () => {
  test('the reference describes every address of issuers and every other address', () => {
    expect(endpoints.map(({ method, pattern }) => `${method} ${pattern}`).sort()).toEqual(
      [
        'GET /.well-known/oauth-protected-resource/apis/:apiId',
        'GET /verify/:apiId',
        'GET /.well-known/oauth-protected-resource/api/v1',
        'GET /.well-known/webauthn',
        'GET /.well-known/change-password',
        'GET /.well-known/passkey-endpoints',
        'GET /health',
        'GET /ready',
        'GET /documentation',
        'GET /openapi.json',
        'GET /auth/callback/broker',
        'GET /auth/callback/broker/:code',
        'GET /auth/callback/:authMethodId',
        'POST /auth/callback/broker',
        'POST /auth/callback/:authMethodId',
        'POST /auth/token',
        `GET ${issuer}/authorize`,
        `POST ${issuer}/authorize`,
        `POST ${issuer}/par`,
        `POST ${issuer}/token`,
        `POST ${issuer}/device_authorization`,
        `POST ${issuer}/revoke`,
        `POST ${issuer}/introspect`,
        `GET ${issuer}/userinfo`,
        `POST ${issuer}/userinfo`,
        `GET ${issuer}/logout`,
        `POST ${issuer}/logout`,
        `POST ${issuer}/register`,
        `GET ${issuer}/jwks`,
        `GET ${issuer}/.well-known/oauth-authorization-server`,
        `GET ${issuer}/.well-known/openid-configuration`,
        `GET /.well-known/oauth-authorization-server${issuer}`,
        `GET /.well-known/openid-configuration${issuer}`,
      ].sort(),
    );
  });

  test('every reference section and endpoint has a unique id', () => {
    for (const ids of [sections.map(({ id }) => id), endpoints.map(({ id }) => id)]) {
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((id) => /^[a-z][a-z0-9-]*$/.test(id))).toBe(true);
    }
  });

  test.each(endpoints)('$method $path has a summary, a description, a response and a command', (endpoint) => {
    expect(endpoint.summary).not.toBe('');
    expect(endpoint.description).not.toBe('');
    expect(endpoint.answers.length).toBeGreaterThan(0);
    expect(endpoint.command).toMatch(/curl -sS 'https:\/\/(gatehouse|auth)\.example\//);
    expect(endpoint.command).not.toMatch(/[{}<>]/);
  });

  test.each(endpoints)('$method $path names each parameter once per location', (endpoint) => {
    const names = endpoint.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('the reference sends commands of issuers to the authorization server, and other commands to the base address', () => {
    for (const { id, path, command } of endpoints) {
      const areaB = path.includes('/api/{api_id}');
      expect(command, id).toContain(areaB ? authUrl : baseUrl);
      expect(command, id).not.toContain(areaB ? baseUrl : authUrl);
    }
  });

  test('the reference lists every error of the token and the authorize endpoint (contract 5)', () => {
    const errorsOf = (id: string) => endpoints.find((one) => one.id === id)?.declares.errors ?? [];
    const token = errorsOf('token').map(({ error }) => error);
    const redirected = errorsOf('authorize').filter(({ status }) => status === 302);
    for (const error of [
      'invalid_request',
      'invalid_client',
      'invalid_grant',
      'unauthorized_client',
      'unsupported_grant_type',
      'invalid_scope',
      'slow_down',
      'temporarily_unavailable',
    ])
      expect(token).toContain(error);
    for (const error of [
      'invalid_request',
      'unsupported_response_type',
      'invalid_scope',
      'unauthorized_client',
      'access_denied',
      'login_required',
      'consent_required',
    ])
      expect(redirected.map((one) => one.error)).toContain(error);
  });
});
