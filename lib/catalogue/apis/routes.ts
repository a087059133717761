// Routes of APIs, for administrators.

import { CHANGE_BREAKS, type Route, route } from '#lib/management-api/route.ts';
import {
  changeApi,
  createApi,
  deleteApi,
  pageApis,
  previewApiChange,
  previewApiDeletion,
  readApi,
  renewIntrospectionSecret,
} from './operations.ts';

export const apiRoutes: Route[] = [
  route('GET /apis', 'APIs', pageApis),
  route('POST /apis', 'Create an API', createApi, {
    creates: '/apis/:id',
  }),
  route('GET /apis/:id', 'Get an API', readApi),
  route('PATCH /apis/:id', 'Change an API', changeApi, {
    version: 'required',
  }),
  route('POST /apis/:id/preview', CHANGE_BREAKS, previewApiChange),
  route('GET /apis/:id/deletion', 'Preview the effects of deleting an API', previewApiDeletion),
  route('DELETE /apis/:id', 'Delete an API with its subscriptions and tokens', deleteApi, {
    version: 'optional',
  }),
  route(
    'POST /apis/:id/introspection-secret',
    'Create new introspection credentials for the API; returned once',
    renewIntrospectionSecret,
    { creates: true },
  ),
];
