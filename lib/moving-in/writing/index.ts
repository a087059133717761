export type { Conversion, Converter } from './conversion.ts';
export { fillFolder } from './folder.ts';
export { addFormerIssuer, formerHost, formerUntil, oneOf } from './former-issuers.ts';
export { PeopleTaker, type TakePerson } from './people-file.ts';
export { emptyRegistry, type Registry, registryText } from './registry-file.ts';
export { countsInWords, countsOf, type ImportReport, reportInWords } from './report-file.ts';
export { type TakeToken, TokenTaker } from './tokens-file.ts';
export { claimsOf, idOfName, momentOf, passwordOf, someOf, UNKEPT } from './values.ts';
