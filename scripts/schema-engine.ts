// Prisma's schema engine in its WASM build, on a database of the caller: it compares, and writes nothing. For
// development and tests only; at run time lib/store/migrate.ts does the work.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { readMigrations } from '#lib/store/migrate.ts';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const migrations = path.join(root, 'prisma', 'migrations');
const SCHEMA = path.join(root, 'prisma', 'schema.prisma');
const NOTHING = '-- This is an empty migration.';

/** Returns the SQL that changes this database to schema.prisma; empty if both are equal. */
export function difference(
  databaseUrl: string,
  schema: string = readFileSync(SCHEMA, 'utf8'),
): Promise<string> {
  const files = [{ path: SCHEMA, content: schema }];
  return withSchemaEngine(databaseUrl, async (engine) => {
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: root },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    const sql = (stdout ?? '').trim();
    return sql === NOTHING ? '' : sql;
  });
}

/** Migrations in the schema engine's input format. */
export async function migrationList(folder: string = migrations): Promise<MigrationList> {
  const known = await readMigrations(folder);
  return {
    baseDir: folder,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: known.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

export async function withSchemaEngine<T>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const panic = hearPanics();
  const pool = catalogPool(databaseUrl);
  try {
    const { SchemaEngine } = await load();
    const datamodels: [string, string][] = [[SCHEMA, readFileSync(SCHEMA, 'utf8')]];
    const adapter = bindMigrationAwareSqlAdapterFactory(completeFactory(new PrismaPg(pool)));
    const engine = await SchemaEngine.new({ datamodels }, () => {}, adapter);
    try {
      return await work(engine);
    } finally {
      if (!panic.message) engine.free();
    }
  } catch (error) {
    throw panic.message ? new Error(`the schema engine gave up: ${panic.message}`) : error;
  } finally {
    await pool.end();
  }
}

type Glue = typeof import('@prisma/schema-engine-wasm/schema_engine_bg') & {
  __wbg_set_wasm: (exports: WebAssembly.Exports) => void;
};
const LOADED = Symbol.for('prisma.schema-engine');
/**
 * Shared by the process, even if this file is loaded twice: a second engine would take over the first engine's memory.
 */
const ofProcess = globalThis as { [LOADED]?: Promise<Glue> };

/**
 * Instantiates the engine's module, because Node has no loader for the package's `import … from './x.wasm'`.
 */
function load(): Promise<Glue> {
  ofProcess[LOADED] ??= (async () => {
    const glueFile = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
    const glue = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as Glue;
    const bytes = readFileSync(path.join(path.dirname(glueFile), 'schema_engine_bg.wasm'));
    const imports = { './schema_engine_bg.js': { ...glue } };
    const { instance } = await WebAssembly.instantiate(bytes, imports);
    glue.__wbg_set_wasm(instance.exports);
    (instance.exports['__wbindgen_start'] as () => void)();
    return glue;
  })();
  return ofProcess[LOADED];
}

/**
 * Sets the global function to which the engine passes panic messages; without it, errors only contain
 * "unreachable".
 */
function hearPanics(): { message: string } {
  const panic = { message: '' };
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => {
        panic.message = message;
      },
    },
  });
  return panic;
}

// The engine reads PostgreSQL's catalogue, in which a few columns have the internal type "char". The engine requires
// this type, but the adapter does not know it. The pool reports an array of char, so this code replaces it by char.
const [CHAR, CHAR_ARRAY] = [18, 1002];

function catalogPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2 });
  const ask = pool.query.bind(pool) as (query: pg.QueryConfig) => Promise<pg.QueryResult>;
  const answer = async (query: pg.QueryConfig) => {
    const result = await ask(query);
    for (const field of result.fields ?? []) if (field.dataTypeID === CHAR) field.dataTypeID = CHAR_ARRAY;
    return result;
  };
  return Object.assign(pool, { query: answer }) as pg.Pool;
}

function completeFactory(factory: PrismaPg): PrismaPg {
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    // replaced, because the adapter's version splits function bodies at semicolons
    adapter.executeScript = async (script) => {
      await adapter.underlyingDriver().query({ text: script });
    };
    const ask = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await ask(query);
      const { CharacterArray, Character } = ColumnTypeEnum;
      return {
        ...result,
        columnTypes: result.columnTypes.map((type) => (type === CharacterArray ? Character : type)),
      };
    };
    return adapter;
  };
  return factory;
}
