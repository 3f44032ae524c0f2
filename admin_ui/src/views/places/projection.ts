// Mercator: shapes and small circles stay what they are, wherever one looks. A unit is a degree of longitude.

/** Longitude and latitude in degrees, or x and y on the map. */
export type Point = [number, number];

export const NORTH = 84;
export const SOUTH = -60; // what is beyond has no land on this map
export const KM_PER_DEGREE = 111.195; // of latitude, on a sphere as large as the earth
const RADIANS = Math.PI / 180;

/** Places beyond the edges of the map are on the edge. */
export function project([lon, lat]: Point): Point {
  const inside = Math.min(NORTH, Math.max(SOUTH, lat));
  return [lon, -Math.log(Math.tan(Math.PI / 4 + (inside * RADIANS) / 2)) / RADIANS];
}

export function unproject([x, y]: Point): Point {
  return [x, (2 * Math.atan(Math.exp(-y * RADIANS)) - Math.PI / 2) / RADIANS];
}

/** The points `km` away from another, all around it. Longitudes run on past 180°, so that the line is not torn. */
export function circle([lon, lat]: Point, km: number, corners = 90): Point[] {
  const away = (km / KM_PER_DEGREE) * RADIANS;
  const [sin, cos] = [Math.sin(lat * RADIANS), Math.cos(lat * RADIANS)];
  return Array.from({ length: corners }, (_, at) => {
    const turn = (2 * Math.PI * at) / corners;
    const height = sin * Math.cos(away) + cos * Math.sin(away) * Math.cos(turn);
    const east = Math.atan2(Math.sin(turn) * Math.sin(away) * cos, Math.cos(away) - sin * height);
    return [lon + east / RADIANS, Math.asin(height) / RADIANS];
  });
}

/** Whether a circle has a pole in it: on this map it has no line then. */
export const hasPole = (lat: number, km: number): boolean => Math.abs(lat) + km / KM_PER_DEGREE >= 90;
