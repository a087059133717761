// Generates both OpenAPI documents: of the protocol, and of the management API.
import { z } from 'zod';

// JSON Schema 2020-12, the dialect of OpenAPI 3.1, generated from zod.

export type Json = Record<string, unknown>;

/** An optional parameter. */
export function optional<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().describe(description);
}

/** An optional parameter that certain clients must send, for example `public clients`. */
export function requiredOf<Schema extends z.ZodType>(schema: Schema, clients: string, description: string) {
  return schema.optional().meta({ demanded: clients, description });
}

/** Returns `yes`, `no`, or the requests that need the parameter. */
export function demandOf(schema: z.ZodType): string {
  const clients = schema.meta()?.['demanded'];
  if (typeof clients === 'string') return clients;
  return schema.safeParse(undefined).success ? 'no' : 'yes';
}

/** Schema of a parameter or body as input, in which members with defaults are optional. */
function inputSchema(schema: z.ZodType): Json {
  return toJson(schema, 'input', () => undefined);
}

/** Writes the schemas of responses as JSON. Members with defaults are required in them. Components become references. */
class SchemaWriter {
  readonly #names: ReadonlyMap<unknown, string>;

  constructor(components: Readonly<Record<string, z.ZodType>>) {
    this.#names = new Map(Object.entries(components).map(([name, schema]) => [schema, name]));
  }

  write(schema: z.ZodType): Json {
    const name = this.#names.get(schema);
    return name === undefined ? this.inFull(schema) : referenceTo(name);
  }

  inFull(schema: z.ZodType): Json {
    return toJson(schema, 'output', (part) => this.#names.get(part));
  }
}

function toJson(
  schema: z.ZodType,
  io: 'input' | 'output',
  nameOf: (part: unknown) => string | undefined,
): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const name = Object.is(zodSchema, schema) ? undefined : nameOf(zodSchema);
      if (name !== undefined) return replace(jsonSchema, referenceTo(name));
      tidy(jsonSchema);
      // only strict objects forbid further members
      const { def } = zodSchema._zod;
      if (def.type === 'object' && !def.catchall) delete jsonSchema.additionalProperties;
    },
  });
  return json;
}

const referenceTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

function replace(target: Json, by: Json): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, by);
}

/** Removes the limits that zod adds to every integer, and turns the text of `requiredOf` into a sentence. */
function tidy(json: Json): void {
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  const { demanded: clients } = json;
  if (clients === undefined) return;
  delete json['demanded'];
  json['description'] = `${json['description']} Required: ${clients}.`;
}

/** A possible response of an operation. Responses with the same status are merged. */
export type ResponseSource = {
  /** HTTP status such as `200`, or `default` */
  status: string;
  description: string;
  schema?: z.ZodType;
  /** media type of the body; only with `schema` */
  mediaType?: string;
  /** description by name of the header */
  headers?: Readonly<Record<string, string>>;
};

export type Operation = {
  id: string;
  method: string;
  /** `/clients/{client_id}` */
  path: string;
  tag: string;
  summary: string;
  description: string;
  parameters: { path?: z.ZodObject; query?: z.ZodObject; header?: z.ZodObject };
  body?: z.ZodObject;
  /** media types of the request body; if `body` is missing, the body is not text */
  bodyTypes?: readonly string[];
  responses: readonly ResponseSource[];
  /** names of security schemes, with scopes; an empty object means that no scheme is required */
  security: readonly Readonly<Record<string, readonly string[]>>[];
  /** the server of this operation, if it is not the server of the document */
  server?: Server;
};

type Server = { url: string; description?: string };

type DocumentSource = {
  title: string;
  /** version of the interface that the document describes */
  version: string;
  description: string;
  server: Server;
  tags: readonly { name: string; description?: string }[];
  operations: readonly Operation[];
  /** schemas in `components.schemas`, by name; each use becomes a reference */
  schemas: Readonly<Record<string, z.ZodType>>;
  securitySchemes: Json;
};

export function openApiDocument(source: DocumentSource): Json {
  const { title, version, description, server, tags, operations, schemas, securitySchemes } = source;
  const writer = new SchemaWriter(schemas);
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...(operation.server ? { servers: [operation.server] } : {}),
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationOf(operation, writer),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [server],
    tags,
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, writer.inFull(schema)]),
      ),
      securitySchemes,
    },
  };
}

function operationOf(operation: Operation, writer: SchemaWriter): Json {
  const { id, tag, summary, description, body, bodyTypes, security } = operation;
  const parameters = Object.entries(operation.parameters).flatMap(([place, shape]) =>
    parametersOf(place, shape),
  );
  const content =
    (body ?? bodyTypes) && contentOf(bodyTypes ?? ['application/json'], body ? inputSchema(body) : {});
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(content ? { requestBody: { required: true, content } } : {}),
    responses: responsesOf(operation.responses, writer),
    security,
  };
}

const contentOf = (mediaTypes: readonly string[], schema: Json): Json =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));

function parametersOf(place: string, shape: z.ZodObject): Json[] {
  const { properties = {}, required = [] } = inputSchema(shape) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return (
    Object.entries(properties)
      // OpenAPI 3.1 §4.8.12.2: the header Authorization is described only by the security schemes
      .filter(([name]) => name !== 'Authorization')
      .map(([name, { description, ...schema }]) => ({
        name,
        in: place,
        required: required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema,
      }))
  );
}

type Joined = { descriptions: string[]; headers: Json; content: Map<string, Json[]> };

function responsesOf(sources: readonly ResponseSource[], writer: SchemaWriter): Json {
  const byStatus = new Map<string, Joined>();
  for (const { status, description, schema, mediaType = 'application/json', headers } of sources) {
    const joined: Joined = byStatus.get(status) ?? { descriptions: [], headers: {}, content: new Map() };
    byStatus.set(status, joined);
    joined.descriptions.push(description);
    for (const [name, words] of Object.entries(headers ?? {}))
      joined.headers[name] = { description: words, schema: { type: 'string' } };
    if (schema)
      joined.content.set(mediaType, [...(joined.content.get(mediaType) ?? []), writer.write(schema)]);
  }
  return Object.fromEntries([...byStatus].map(([status, joined]) => [status, responseOf(joined)]));
}

function responseOf({ descriptions, headers, content }: Joined): Json {
  return {
    description: descriptions.join('\n\n'),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(content.size > 0
      ? {
          content: Object.fromEntries(
            [...content].map(([mediaType, schemas]) => [mediaType, { schema: anyOf(schemas) }]),
          ),
        }
      : {}),
  };
}

/** Combines several bodies with the same status and media type into alternatives. */
function anyOf(schemas: Json[]): Json {
  const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [only, ...more] = different.values();
  return only && more.length === 0 ? only : { anyOf: [...different.values()] };
}
