import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Operation, openApiDocument, requiredOf } from './document.ts';

const Fault = z.object({ code: z.int() });
const Faults = z.object({ faults: z.array(Fault), next: Fault.optional() });

function documentOf(operation: Partial<Operation>) {
  const whole: Operation = {
    id: 'x',
    method: 'POST',
    path: '/x',
    tag: 'X',
    summary: 's',
    description: 'd',
    parameters: {},
    responses: [],
    security: [],
    ...operation,
  };
  return openApiDocument({
    title: 't',
    version: '1',
    description: 'd',
    server: { url: 'https://a.example' },
    tags: [],
    operations: [whole],
    schemas: { Fault, Faults },
    securitySchemes: {},
  });
}
const operationOf = (operation: Partial<Operation>) => {
  const { paths } = documentOf(operation) as { paths: Record<string, Record<string, object>> };
  return paths['/x']?.['post'];
};

test('the OpenAPI document contains each component once and references it elsewhere', () => {
  const reference = { $ref: '#/components/schemas/Fault' };
  expect(documentOf({})['components']).toMatchObject({
    schemas: {
      Fault: { type: 'object', properties: { code: { type: 'integer' } }, required: ['code'] },
      Faults: { properties: { faults: { type: 'array', items: reference }, next: reference } },
    },
  });
});

test('responses of one status are merged in the OpenAPI document: descriptions are joined, and bodies are alternatives', () => {
  const error = { status: '400', schema: Fault };
  const responses = [
    { ...error, description: 'one' },
    { ...error, description: 'two' },
    { ...error, description: 'three', schema: Faults },
    { status: '302', description: 'gone', headers: { Location: 'where' } },
  ];
  const anyOf = [{ $ref: '#/components/schemas/Fault' }, { $ref: '#/components/schemas/Faults' }];
  expect(operationOf({ responses })).toMatchObject({
    responses: {
      400: { description: 'one\n\ntwo\n\nthree', content: { 'application/json': { schema: { anyOf } } } },
      302: { headers: { Location: { description: 'where' } } },
    },
  });
});

test('a parameter that only some requests require is optional in the document, and its description names these requests', () => {
  const query = z.object({
    pkce: requiredOf(z.string().max(9), 'public clients', 'A challenge.'),
    all: z.string().describe('Everything.'),
  });
  const header = z.object({ Authorization: z.string() });
  expect(operationOf({ parameters: { query, header } })).toMatchObject({
    parameters: [
      {
        name: 'pkce',
        in: 'query',
        required: false,
        description: 'A challenge. Required: public clients.',
        schema: { type: 'string', maxLength: 9 },
      },
      { name: 'all', required: true, description: 'Everything.' },
    ],
  });
});

test('members with defaults are optional in request bodies and required in responses of the OpenAPI document', () => {
  const Row = z.object({ name: z.string(), limit: z.int().default(50) });
  const posted = operationOf({ body: Row, responses: [{ status: '200', description: 'd', schema: Row }] });
  const schemaIn = (required: string[]) => ({ content: { 'application/json': { schema: { required } } } });
  expect(posted).toMatchObject({
    requestBody: schemaIn(['name']),
    responses: { 200: schemaIn(['name', 'limit']) },
  });
});
