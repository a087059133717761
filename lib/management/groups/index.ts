export {
  changeGroup,
  createGroup,
  deleteGroup,
  type GroupChange,
  pageGroups,
  readGroup,
  unknownGroupFaults,
} from './groups.ts';
export { addGroupMember, pageGroupMembers, removeGroupMember, setPersonGroups } from './members.ts';
