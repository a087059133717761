-- The next epoch (docs/project/decisions/0003): a sequence never goes back, so no sum of epochs comes again. A function and not
-- nextval() in the column defaults, because Prisma's schema engine would take them for serial columns.
CREATE OR REPLACE FUNCTION "next_epoch"() RETURNS BIGINT LANGUAGE sql SET search_path FROM CURRENT AS $$ SELECT nextval('epochs') $$;
