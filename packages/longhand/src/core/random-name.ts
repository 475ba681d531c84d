const DIGITS = 13;

/**
 * A name that no other file has, of 104 random bits. Nothing depends on it being secret: it names files in folders that
 * belong to one user.
 */
export function randomName(): string {
  return randomDigits() + randomDigits();
}

function randomDigits(): string {
  return Math.floor(Math.random() * 16 ** DIGITS)
    .toString(16)
    .padStart(DIGITS, '0');
}
