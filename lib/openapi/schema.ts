// JSON Schema 2020-12, the dialect of OpenAPI 3.1, from zod.
import { z } from 'zod';

export type Json = Record<string, unknown>;

/** A parameter that may be left out. */
export function optional<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().describe(description);
}

/** An optional parameter that some requests need, and which clients' ones, such as `public clients`. */
export function demanded<Schema extends z.ZodType>(schema: Schema, clients: string, description: string) {
  return schema.optional().meta({ demanded: clients, description });
}

/** `yes`, `no`, or which requests need the parameter. */
export function demandOf(schema: z.ZodType): string {
  const clients = schema.meta()?.['demanded'];
  if (typeof clients === 'string') return clients;
  return schema.safeParse(undefined).success ? 'no' : 'yes';
}

/** A parameter or body as a client may send it: what has a default may be left out. */
export function inputSchema(schema: z.ZodType): Json {
  return toJson(schema, 'input', () => undefined);
}

/** Writes answers as JSON, where what has a default is there; a component is written as a reference to it. */
export class SchemaWriter {
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
      // only strict objects promise that nothing else is there
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

/** Without what zod adds to every integer; what `demanded` says becomes a sentence. */
function tidy(json: Json): void {
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
  const { demanded: clients } = json;
  if (clients === undefined) return;
  delete json['demanded'];
  json['description'] = `${json['description']} Required: ${clients}.`;
}
