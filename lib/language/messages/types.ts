// The types of the catalogue, derived from the English messages.
import type { en } from './en.ts';

type English = typeof en;

/** The messages of one language. */
export type Messages = { [Group in keyof English]: { [Name in keyof English[Group]]: string } };

/** Keys `group.name`, each with its English text. */
type Texts = {
  [Group in keyof English]: {
    [Name in keyof English[Group] & string as `${Group}.${Name}`]: English[Group][Name];
  };
}[keyof English];
type Merged<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
export type EnglishTexts = Merged<Texts>;
export type Key = keyof EnglishTexts & string;
