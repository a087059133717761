export {
  changeGroup,
  createGroup,
  deleteGroup,
  type GroupChange,
  listGroupNames,
  pageGroups,
  readGroup,
  unknownGroupFaults,
} from './groups.ts';
export { addGroupMember, pageGroupMembers, removeGroupMember, setPersonGroups } from './members.ts';
