/** Lists of exactly so many campaigns, on so many days, may be cut there: services limit what they list to such numbers. */
export const cutLengths: readonly number[] = [50, 100, 200, 250, 500, 1_000, 2_000, 5_000, 10_000];
export const cutDays = 3;
