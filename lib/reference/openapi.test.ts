import { describe, expect, test } from 'vitest';
import { sections } from './described.ts';
import { openapi } from './openapi.ts';

type Operation = {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean }[];
  responses: Record<string, { description: string }>;
  security: Record<string, string[]>[];
};

type Document = {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Record<string, unknown>>; securitySchemes: Record<string, unknown> };
};

const document = openapi('https://gatehouse.example', 'https://auth.example') as unknown as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  ['get', 'post'].flatMap((method) =>
    item[method] ? [{ path, method, operation: item[method] as Operation }] : [],
  ),
);

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  );
}

function resolve(pointer: string): unknown {
  return pointer
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}

describe('the OpenAPI document', () => {
  test('the OpenAPI document is OpenAPI 3.1 of the interface version 0.1.0 (specification, section 9)', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('0.1.0');
  });

  test('the OpenAPI document has one operation per described endpoint', () => {
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described).toHaveLength(sections.flatMap(({ endpoints }) => endpoints).length);
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  test('every $ref of the OpenAPI document resolves', () => {
    const all = references(document);
    expect(all.length).toBeGreaterThan(0);
    for (const pointer of all) expect(resolve(pointer), pointer).toBeDefined();
  });

  test('the OpenAPI document uses every schema', () => {
    const used = new Set(references(document));
    for (const name of Object.keys(document.components.schemas)) {
      expect(used.has(`#/components/schemas/${name}`), name).toBe(true);
    }
  });

  test('every security requirement of the OpenAPI document names one of its schemes', () => {
    for (const { operation } of operations) {
      for (const name of operation.security.flatMap(Object.keys)) {
        expect(document.components.securitySchemes).toHaveProperty(name);
      }
    }
  });

  test.each(operations)(
    '$method $path requires exactly the parameters of its path',
    ({ path, operation }) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => name).sort()).toEqual(names.sort());
      expect(inPath.every(({ required }) => required)).toBe(true);
    },
  );

  test.each(operations)('$method $path has responses with descriptions', ({ operation }) => {
    expect(Object.keys(operation.responses).length).toBeGreaterThan(0);
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^[2-5]\d\d$/);
      expect(response.description).not.toBe('');
    }
  });

  test('the authorization server serves the addresses of an issuer, and the base address serves other addresses', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      if (path.includes('/api/{api_id}'))
        expect(item.servers).toEqual([expect.objectContaining({ url: 'https://auth.example' })]);
      else expect(item.servers, path).toBeUndefined();
    }
  });

  test('the callback declares 200 and 422, and its state is optional and can be null', () => {
    const callback = document.paths['/auth/callback/broker/{code}']?.get as Operation;
    expect(Object.keys(callback.responses)).toEqual(expect.arrayContaining(['200', '422']));
    const state = callback.parameters?.find(({ name }) => name === 'state');
    expect(state).toMatchObject({ in: 'query', required: false });
    expect(JSON.stringify(state)).toContain('"null"');
  });

  test('validation errors in the OpenAPI document have the documented fields', () => {
    const { HTTPValidationError, ValidationError, TokenResponse } = document.components.schemas;
    expect(HTTPValidationError?.required).toBeUndefined();
    expect(ValidationError?.required).toEqual(['loc', 'msg', 'type']);
    expect(Object.keys(ValidationError?.properties as object)).toEqual([
      'loc',
      'msg',
      'type',
      'input',
      'ctx',
    ]);
    expect(TokenResponse?.required).toEqual(['access_token', 'token_type', 'expires_in', 'scope']);
  });
});
