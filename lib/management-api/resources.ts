// The routes of the management API by resource, for the documentation.
import { z } from 'zod';
import { ownValue } from '#lib/kit/wire.ts';
import { accessOf } from '#lib/management/policy.ts';
import { demandOf, type Operation } from '#lib/openapi/document.ts';
import { operationOf, schemasOf } from './openapi.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

export type Resource = { id: string; title: string; operations: ResourceOperation[] };

export type ResourceOperation = {
  id: string;
  method: string;
  /** path, for example `/api/v1/clients/{client_id}` */
  path: string;
  summary: string;
  roles: string[];
  scopes: string[];
  parameters: {
    name: string;
    in: 'path' | 'query' | 'header' | 'body';
    type: string;
    required: boolean;
    description: string;
  }[];
  /** status of a successful response */
  status: number;
  /** name of the schema in openapi.json, and the form of the response: `Client`, `rows of Client` */
  returns: string;
  /** example command with placeholders in capital letters */
  command: (baseUrl: string) => string;
};

/** Resources with the first segments of their paths, in the order of the documentation. */
const RESOURCES: readonly [id: string, title: string, segments: readonly string[]][] = [
  ['clients', 'Clients', ['clients', 'explanations']],
  ['subscriptions', 'Subscriptions', ['subscriptions', 'catalogue', 'inbox']],
  ['apis', 'APIs', ['apis']],
  ['auth-methods', 'Sign-in methods', ['auth-methods']],
  ['people', 'People', ['people']],
  ['invitations', 'Invitations and registrations', ['invitations', 'registrations']],
  ['groups', 'Groups', ['groups']],
  ['sessions', 'Sessions', ['sessions']],
  ['me', 'Your account', ['me', 'overview']],
  ['keys', 'Signing keys', ['keys']],
  ['audit', 'Audit log', ['audit']],
  ['find', 'Search and token inspection', ['find', 'token-inspections']],
  ['service', 'Service', ['service', 'expiring', 'first-day']],
];

let resources: readonly Resource[] | undefined;

export function listResources(): readonly Resource[] {
  const schemas = schemasOf(routes);
  resources ??= RESOURCES.map(([id, title, segments]) => ({
    id,
    title,
    operations: routes
      .filter(({ path }) => segments.includes(path.split('/')[1] ?? ''))
      .map((route) => resourceOperationOf(route, schemas)),
  }));
  return resources;
}

function resourceOperationOf(route: Route, schemas: ReturnType<typeof schemasOf>): ResourceOperation {
  const { method, path, summary, actions } = route;
  const operation = operationOf(route, schemas);
  const inFull = `/api/v1${operation.path}`;
  const parameters = parametersOf(operation);
  return {
    id: `${method.toLowerCase()}${path.replaceAll(/[:/_-]+/g, '-')}`,
    method,
    path: inFull,
    summary,
    ...accessOf(actions),
    parameters,
    status: Number(operation.responses[0]?.status),
    returns: returnsOf(route),
    command: (baseUrl) => commandOf(route, `${baseUrl}${inFull}`, parameters),
  };
}

function returnsOf({ answers, picture }: Route): string {
  if (picture === 'given') return 'a WebP picture';
  if (!answers) return '';
  const isObject = answers.as === 'one' || answers.as === 'file';
  return isObject ? answers.name : `rows of ${answers.name}`;
}

type Parameter = ResourceOperation['parameters'][number];

function parametersOf({ parameters, body, bodyTypes }: Operation): Parameter[] {
  const { path, header, query } = parameters;
  const places = Object.entries({ path, header, query, body }) as [
    Parameter['in'],
    z.ZodObject | undefined,
  ][];
  const members = places.flatMap(([place, shape]) =>
    Object.entries(shape?.shape ?? {}).map(([name, schema]: [string, z.ZodType]) => ({
      ...{ name, in: place, type: typeOf(schema), required: demandOf(schema) === 'yes' },
      description: schema.description ?? '',
    })),
  );
  const type = 'PNG, JPEG, WebP, GIF or SVG';
  return bodyTypes
    ? [...members, { name: 'body', in: 'body', type, required: true, description: '' }]
    : members;
}

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  const?: unknown;
};

const typeOf = (schema: z.ZodType): string =>
  typeName(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema);

function typeName({ type, enum: values, anyOf, items, const: only }: Schema): string {
  if (values) return values.map(valueName).join(', ');
  if (only !== undefined) return valueName(only);
  if (anyOf) return [...new Set(anyOf.map(typeName))].join(' or ');
  if (type === 'array') return `array of ${items ? typeName(items) : 'values'}`;
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'any value');
}

const valueName = (value: unknown): string => (value === '' ? 'an empty text' : String(value));

const EXAMPLES: Readonly<Record<string, unknown>> = { integer: 1, number: 1, boolean: true, object: {} };

function commandOf(
  { method, body, version, picture }: Route,
  address: string,
  parameters: ResourceOperation['parameters'],
): string {
  const url = address.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const required = parameters.filter((parameter) => parameter.required);
  const query = required.flatMap((parameter) =>
    parameter.in === 'query' ? [`${parameter.name}=${parameter.name.toUpperCase()}`] : [],
  );
  const members = required.filter((parameter) => parameter.in === 'body');
  const example = Object.fromEntries(
    members.map(({ name, type }) => [
      name,
      type.startsWith('array')
        ? []
        : (ownValue(EXAMPLES, type) ?? (type.includes(',') ? type.split(',')[0] : name.toUpperCase())),
    ]),
  );
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} '${[url, ...(query.length > 0 ? [query.join('&')] : [])].join('?')}'`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(version === 'required' ? [`-H 'If-Match: "VERSION"'`] : []),
    ...(picture === 'taken' ? ["-H 'Content-Type: image/png' --data-binary @logo.png"] : []),
    ...(body ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(example)}'`] : []),
  ].join(' \\\n  ');
}
