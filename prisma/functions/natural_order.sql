-- A name for ordering: numbers in it count as numbers, so that Team 2 is before Team 10. Only its first 80 characters
-- count.
CREATE OR REPLACE FUNCTION "natural_order"(named TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(string_agg(CASE WHEN part[1] ~ '^[0-9]'
      THEN lpad(length(ltrim(part[1], '0'))::text, 2, '0') || ltrim(part[1], '0') ELSE part[1] END, '' ORDER BY at), '')
    FROM regexp_matches(lower(left(named, 80)), '[0-9]+|[^0-9]+', 'g') WITH ORDINALITY AS found(part, at)
$$;
