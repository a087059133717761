// The reference of the protocol: prose from this room, parameters and errors from the declarations in lib/oauth. The
// documentation page and the OpenAPI document are made of it.
export { type Described, sections } from './described.ts';
export type { Addresses } from './endpoint.ts';
export { openapi } from './openapi.ts';
