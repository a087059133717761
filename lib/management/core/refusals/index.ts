export {
  type Coded,
  englishOf,
  faultAt,
  kindOfRefusal,
  OPERATOR_TEXTS,
  type RefusedCode,
  textOfRefusal,
} from './codes.ts';
export type { RefusedKind } from './kinds.ts';
