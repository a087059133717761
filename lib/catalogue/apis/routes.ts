// Routes of APIs.

import {
  CHANGE_BREAKS,
  consequencesInEnglish,
  one,
  page,
  type Route,
  route,
} from '#lib/management-api/route.ts';
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
  route('GET /apis', 'APIs', pageApis, {
    answers: page('Api'),
  }),
  route('POST /apis', 'Create an API', createApi, {
    answers: one('Api'),
    creates: '/apis/:id',
  }),
  route('GET /apis/:id', 'Get an API', readApi, { answers: one('Api') }),
  route('PATCH /apis/:id', 'Change an API', changeApi, {
    version: 'required',
    answers: one('Api'),
  }),
  route('POST /apis/:id/preview', CHANGE_BREAKS, previewApiChange, consequencesInEnglish),
  route(
    'GET /apis/:id/deletion',
    'Preview the effects of deleting an API',
    previewApiDeletion,
    consequencesInEnglish,
  ),
  route('DELETE /apis/:id', 'Delete an API with its subscriptions and tokens', deleteApi, {
    version: 'optional',
  }),
  route(
    'POST /apis/:id/introspection-secret',
    'Create new introspection credentials for the API; returned once',
    renewIntrospectionSecret,
    { answers: one('Secret'), creates: true },
  ),
];
