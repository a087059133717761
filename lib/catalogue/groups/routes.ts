// Routes of groups and their members, for administrators.

import { type Route, route } from '#lib/management-api/route.ts';
import {
  addGroupMember,
  changeGroup,
  createGroup,
  deleteGroup,
  listPersonGroups,
  pageGroupMembers,
  pageGroups,
  readGroup,
  removeGroupMember,
  setPersonGroups,
} from './operations.ts';

export const groupRoutes: Route[] = [
  route('GET /groups', 'List groups of people', pageGroups),
  route('POST /groups', 'Create a group', createGroup, {
    creates: '/groups/:id',
  }),
  route('GET /groups/:id', 'Get a group', readGroup),
  route('PATCH /groups/:id', 'Change the name or the rules of a group', changeGroup, {
    version: 'required',
  }),
  route('DELETE /groups/:id', 'Delete a group that no API uses', deleteGroup, {
    version: 'optional',
  }),
  route('GET /groups/:id/members', 'List the members of a group, and how they were added', pageGroupMembers),
  route('PUT /groups/:id/members/:person', 'Add a person to a group manually', addGroupMember),
  route(
    'DELETE /groups/:id/members/:person',
    'Remove a manually added person from a group',
    removeGroupMember,
  ),
  route('GET /people/:id/groups', 'List the groups of a person, and how they were added', listPersonGroups),
  route('PUT /people/:id/groups', 'Set the groups that a person is a manual member of', setPersonGroups),
];
