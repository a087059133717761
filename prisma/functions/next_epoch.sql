-- The next epoch (docs/project/decisions/0003). The sequence never decreases, so a sum of epochs never repeats. The
-- column defaults call this function instead of nextval(), because Prisma's schema engine would take such columns for
-- serial columns.
CREATE OR REPLACE FUNCTION "next_epoch"() RETURNS BIGINT LANGUAGE sql SET search_path FROM CURRENT AS $$ SELECT nextval('epochs') $$;
