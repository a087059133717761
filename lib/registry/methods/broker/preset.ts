// What a preset is, and what presets are written with.
import type { MethodConfig } from '../kind.ts';

export type Preset = {
  /** the name of a method that has none of its own */
  label: string;
  /** the keys that are asked for, beside client id and secret */
  own: readonly string[];
  /** those of them that it cannot do without */
  needs?: readonly string[];
  /** what the method may leave out */
  fills: (config: MethodConfig) => MethodConfig;
  /** where an application is registered */
  registration: string;
  /** what to do there, beside registering the redirect address */
  steps: readonly string[];
  /** does it answer for this address, which it says is verified? Left out: yes */
  answersFor?: (email: string, claims: Readonly<Record<string, unknown>>) => boolean;
  /**
   * the claims that administrators of the provider control, by its names; `all`: the provider belongs to the
   * organisation. Everybody can get any other claim there.
   */
  controls: readonly string[] | 'all';
  /** the person's name comes in the form that is posted, once (`user`) */
  namesInForm?: true;
  /** who has an access token proves at its userinfo address that our secret is known, too (`appsecret_proof`) */
  sendsProof?: true;
  /** the day at which the provider ends the version of its addresses */
  ends?: { version: string; on: string };
};

export const USUAL_SCOPES = ['openid', 'email', 'profile'];
const textOf = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise);
export const baseOf = (config: MethodConfig, otherwise: string) =>
  textOf(config['base_url'], otherwise).replace(/\/$/, '');
export const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
