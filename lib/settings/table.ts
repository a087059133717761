// Every variable of the environment. Its value, its property of `Settings` and its row of docs/settings.md follow from
// here.
import type { z } from 'zod';
import { OPERATION_SETTINGS } from './operation.ts';
import { PEOPLE_SETTINGS } from './people.ts';
import type { Setting } from './setting.ts';

const SETTINGS = { ...OPERATION_SETTINGS, ...PEOPLE_SETTINGS };

export type SettingName = keyof typeof SETTINGS;
type Output<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]['value']>;

type Shape = { [Name in SettingName]: (typeof SETTINGS)[Name]['value'] };
/** What the variables say; undefined: not set. */
export type SettingValues = z.output<z.ZodObject<Shape>>;

/** The properties that are the value of one variable; null: not set. */
export type SettingProperties = {
  [Name in SettingName as (typeof SETTINGS)[Name] extends { as: infer Property extends string }
    ? Property
    : never]: undefined extends Output<Name> ? Exclude<Output<Name>, undefined> | null : Output<Name>;
};

export const settingRows = (): (readonly [name: string, row: Setting])[] => Object.entries(SETTINGS);

export const settingShape = (): Shape =>
  Object.fromEntries(settingRows().map(([name, { value }]) => [name, value])) as Shape;

/** Of parsed values. */
export function propertiesOf(values: SettingValues): SettingProperties {
  const named = settingRows().flatMap(([name, { as }]) =>
    as === undefined ? [] : [[as, values[name as SettingName] ?? null] as const],
  );
  return Object.fromEntries(named) as SettingProperties;
}
