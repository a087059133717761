// The Next door of the protocol's addresses.
import { handleHttp } from '#lib/oauth/index.ts';
import { doorTo } from './_plain.ts';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = doorTo(handleHttp);
